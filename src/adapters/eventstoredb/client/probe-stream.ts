/**
 * The stream of the readiness check. The check reads the stream to find out whether a leader
 * answers, and writes to the stream after a failed append. No entity uses this stream name.
 */
export const probeStream = 'dossier-probe'
