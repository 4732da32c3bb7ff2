import type { Operations } from './api-types.js'

/** Operations whose replies have data. */
export type WithData = {
  [Name in keyof Operations]: Operations[Name] extends { readonly data: object } ? Name : never
}[keyof Operations]

type WithQuery = {
  [Name in keyof Operations]: Operations[Name] extends { readonly query: object } ? Name : never
}[keyof Operations]

/** The body of an operation. Undefined without one. */
export type BodyOf<Name extends keyof Operations> = Operations[Name] extends {
  readonly body: infer Body
}
  ? Body
  : undefined

/** The data of the reply to an operation. */
export type DataOf<Name extends WithData> = Operations[Name]['data']

/** The query of an operation. */
export type QueryOf<Name extends WithQuery> = Operations[Name]['query']
