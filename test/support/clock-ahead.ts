/**
 * Moves the clock of a program ahead by `CLOCK_AHEAD_MS` milliseconds. The program must import this module first
 * (`node --import`).
 */
const aheadMs = Number(process.env['CLOCK_AHEAD_MS'])
const { now } = Date
const nowAhead = () => now() + aheadMs

globalThis.Date = new Proxy(Date, {
  construct: (date, [value = nowAhead()]: [(number | string | Date)?]) => new date(value),
  get: (date, name): unknown => (name === 'now' ? nowAhead : Reflect.get(date, name)),
})
