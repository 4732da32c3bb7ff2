/**
 * The stream of the readiness check: read to see whether a leader answers, and written to after an
 * append that failed. No entity's stream has this name.
 */
export const probeStream = 'dossier-probe'
