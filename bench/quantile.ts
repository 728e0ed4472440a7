/** The median, or another quantile. NaN if there are no values. */
export function quantile(values: Iterable<number>, share = 0.5): number {
  const sorted = [...values].sort((one, other) => one - other)
  const position = (sorted.length - 1) * share
  const [low, high] = [sorted[Math.floor(position)] ?? Number.NaN, sorted[Math.ceil(position)] ?? Number.NaN]
  return low + (high - low) * (position % 1)
}
