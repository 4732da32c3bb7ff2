/** What can be wrong with a value. Published: programs branch on it. */
export type FaultCode =
  | 'required'
  | 'wrong_type'
  | 'empty'
  | 'too_long'
  | 'too_many'
  | 'too_deep'
  | 'unknown_field'
  | 'bad_characters'
  | 'ill_formed'
  | 'number_out_of_range'

/** One broken rule. `path` leads from the value that was checked to the place of the fault. */
export interface Fault {
  readonly path: readonly (string | number)[]
  readonly code: FaultCode
  /** For people: what to do. Never holds the refused value. */
  readonly message: string
}
