/**
 * Tells the bench where this server listens. A peer that lost its bench has nothing more to do, and
 * none of them keeps anything that is worth a slow end.
 */
export function announce(port: number): void {
  if (process.send === undefined) {
    console.log(`http://127.0.0.1:${String(port)}`)
    return
  }
  process.once('disconnect', () => {
    process.exit()
  })
  process.send({ origin: `http://127.0.0.1:${String(port)}` })
}

/** A setting that the bench gives. Throws when it is missing. */
export function given(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new TypeError(`${name} is not set`)
  return value
}
