/** Work that takes long: where it yields, whoever does it may do something else first. */
export type InPieces<T> = Generator<undefined, T, undefined>
