// Loaded before a host, so that its clock is off by CLOCK_SHIFT milliseconds. Timers keep their pace, as on such a machine.
const shift = Number(process.env.CLOCK_SHIFT ?? 0)
const now = Date.now.bind(Date)
Date.now = () => now() + shift
globalThis.Date = new Proxy(Date, {
  construct: (target, args: [number?]) => Reflect.construct(target, args.length > 0 ? args : [now() + shift]),
})
