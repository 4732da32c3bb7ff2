/**
 * Where the service is in its life. `serving`; `leaving`: still serving, but not ready, so that load
 * balancers turn away; `closing`: what comes now is refused.
 */
export type Phase = 'serving' | 'leaving' | 'closing'

export interface PhaseHolder {
  phase: Phase
}
