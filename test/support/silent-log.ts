import type { Log } from '../../src/application/ports/log.js'

const drop = (): void => undefined

export const silentLog: Log = { info: drop, warn: drop, error: drop }
