/** The maximum length of the key of a segment or a webhook, in characters. */
const longest = 64

/** Returns a key that is derived from the title: `Win back` gives `win-back`. */
export function keyFor(title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return words
    .filter((word) => word !== '')
    .join('-')
    .slice(0, longest)
}
