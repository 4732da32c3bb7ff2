/**
 * Read to see whether a leader answers; holds what a doubtful check writes. No entity's stream begins
 * like this.
 */
export const probeStream = 'dossier-probe'
