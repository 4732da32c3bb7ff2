/**
 * The stream of the readiness check, which no entity uses. The check reads this stream to find out
 * whether a leader answers. After a failed append, the check writes to this stream.
 */
export const probeStream = 'dossier-probe'
