/**
 * Functions that make redacted placeholders of removed facts. The writer thread loads this module with its first
 * removal, because loading the schemas of facts takes longer than loading the rest of the thread.
 */
export { erasedFact, isErased } from '../../../../application/facts/fact-format.js'
export { requestIdIn } from '../../../../application/facts/metadata.js'
