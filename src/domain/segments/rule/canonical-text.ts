/** JSON text that is the same for values that are equal as JSON: the order of members does not count. */
export function canonicalText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  const members: [string, unknown][] = Object.entries(value)
  members.sort(([left], [right]) => (left < right ? -1 : 1))
  const texts = members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`)
  return `{${texts.join(',')}}`
}
