/**
 * The stream of the readiness check, which no entity uses. The check reads it to find out whether a leader answers,
 * and writes to it after a failed append.
 */
export const probeStream = 'dossier-probe'
