import fc from 'fast-check'

/** Generates JSON text for `occurred_at`. */
type JsonText = fc.Arbitrary<string>

const zone = fc.oneof(
  fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+23:59', '-23:59'),
  fc
    .tuple(fc.constantFrom('+', '-'), fc.nat(23), fc.nat(59))
    .map(([sign, hours, minutes]) => `${sign}${two(hours)}:${two(minutes)}`),
)
const fraction = fc.oneof(
  fc.constantFrom('', '', `.${'9'.repeat(500)}`),
  fc.stringMatching(/^\.\d{1,12}$/),
)
const past = fc.date({
  min: new Date('1900-01-02T00:00:00Z'),
  max: new Date('2026-01-01T00:00:00Z'),
  noInvalidDate: true,
})

/** Generates valid times in the past, far from both limits. */
export const goodTimes: JsonText = fc
  .tuple(past, fc.constantFrom('T', 't'), fraction, zone)
  .map(([date, between, digits, offset]) => {
    const [day = '', time = ''] = date.toISOString().slice(0, 19).split('T')
    return JSON.stringify(`${day}${between}${time}${digits}${offset}`)
  })

/** Generates dates and times at and beyond the limits of each field. About a quarter of them are valid. */
const roughTimes = fc
  .tuple(
    fc.constantFrom('2023', '2024', '1900', '2000'),
    fc.constantFrom('00', '01', '02', '02', '11', '12', '13'),
    fc.constantFrom('00', '01', '01', '28', '29', '30', '31', '32'),
    fc.constantFrom('00', '00', '00', '23', '24', '99'),
    fc.constantFrom('00', '00', '00', '59', '60', '99'),
    fc.constantFrom('00', '00', '00', '59', '60', '99'),
    zone,
  )
  .map(([year, month, day, hour, minute, second, offset]) =>
    JSON.stringify(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`),
  )

export const oddTimes: JsonText = fc.oneof(
  roughTimes,
  fc.constantFrom('null', '1795340694', '{}', '[]', 'true', '""', '"\\ud800"'),
  fc
    .constantFrom(
      '2026-11-19T18:05:00',
      '2026-11-19 18:05:00Z',
      '2026-11-19T18:05Z',
      '2026-11-19T18:05:00.Z',
      '2026-11-19T18:05:00+0100',
      '2026-11-19T18:05:00+24:00',
      '2024-02-30T18:05:00Z',
      '1900-02-29T18:05:00Z',
      '2016-12-31T23:59:60Z',
      '1899-12-31T23:59:59.999Z',
      '1900-01-01T00:00:00+00:01',
      '0000-01-01T00:00:00Z',
      '2200-01-01T00:00:00Z',
      '9999-12-31T23:59:59-23:59',
      'z'.repeat(5_000),
      `2026-11-19T18:05:00.${'0'.repeat(5_000)}`,
    )
    .map((text) => JSON.stringify(text)),
)

function two(value: number): string {
  return String(value).padStart(2, '0')
}
