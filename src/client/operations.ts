import type { Operations } from './api-types.js'

/** Operations with data in their replies. */
export type WithData = {
  [Name in keyof Operations]: Operations[Name] extends { readonly data: object } ? Name : never
}[keyof Operations]

type WithQuery = {
  [Name in keyof Operations]: Operations[Name] extends { readonly query: object } ? Name : never
}[keyof Operations]

/** The type of an operation's body. Undefined for an operation without a body. */
export type BodyOf<Name extends keyof Operations> = Operations[Name] extends {
  readonly body: infer Body
}
  ? Body
  : undefined

/** The type of the data in the reply to an operation. */
export type DataOf<Name extends WithData> = Operations[Name]['data']

/** The type of an operation's query. */
export type QueryOf<Name extends WithQuery> = Operations[Name]['query']
