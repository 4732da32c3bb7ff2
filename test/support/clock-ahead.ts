/**
 * To be imported by a program before its own modules (`node --import`): its clock is ahead by so many
 * milliseconds as `CLOCK_AHEAD_MS` says.
 */
const aheadMs = Number(process.env['CLOCK_AHEAD_MS'])
const { now } = Date
const nowAhead = () => now() + aheadMs

globalThis.Date = new Proxy(Date, {
  construct: (date, [value = nowAhead()]: [(number | string | Date)?]) => new date(value),
  get: (date, name): unknown => (name === 'now' ? nowAhead : Reflect.get(date, name)),
})
