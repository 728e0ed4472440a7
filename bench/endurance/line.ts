/** The straight line that is nearest to some points (least squares). */
export interface Line {
  slope: number
  /** The standard error of the slope. NaN with fewer than three points. */
  error: number
}

export function lineThrough(points: readonly { x: number; y: number }[]): Line {
  const [meanX, meanY] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))]
  const spread = sum(points.map(({ x }) => (x - meanX) ** 2))
  const slope = sum(points.map(({ x, y }) => (x - meanX) * (y - meanY))) / spread
  const rest = sum(points.map(({ x, y }) => (y - meanY - slope * (x - meanX)) ** 2))
  return { slope, error: points.length < 3 ? Number.NaN : Math.sqrt(rest / (points.length - 2) / spread) }
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
