/**
 * Tells the bench the port of this server. Ends the server when the bench is gone. A peer has no data worth a
 * graceful stop.
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

/** Returns a setting that the bench passed. Throws when it is missing. */
export function given(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new TypeError(`${name} is not set`)
  return value
}
