/** The rules of segments as the contract defines them. The naive evaluation uses no other form. */
export type Scalar = null | boolean | number | string

/** Tests of one value. All present tests must hold. */
export interface Flat {
  readonly eq?: Scalar
  readonly in?: readonly Scalar[]
  readonly gt?: number
  readonly gte?: number
  readonly lt?: number
  readonly lte?: number
  readonly starts_with?: string
  readonly contains?: string
  readonly includes?: Scalar
  readonly exists?: boolean
  readonly not?: Flat
}

/** An instant, a day, or a distance before or after now. */
export type When = string | { readonly ago: string } | { readonly ahead: string }
export type Rel = { readonly before: When } | { readonly after: When }

/** Tests by JSON Pointer into the properties. All must hold. */
export type Where = Readonly<Record<string, Flat>>
export type Which = string | { readonly starts_with: string }

export type Count = { readonly gte: number } | { readonly lte: number } | { readonly eq: number }

export interface CountRule {
  readonly event: Which
  readonly where?: Where
  readonly within?: string
  readonly after?: string
  readonly before?: string
  readonly count?: Count
}

export interface LastRule {
  readonly event: Which
  readonly where?: Where
  readonly last: Where
}

export type PropertyRule =
  | { readonly property: string; readonly is: Flat | Rel }
  | { readonly property: string; readonly is: Flat; readonly for: string }

export type Leaf =
  | { readonly everyone: true }
  | { readonly segment: string }
  | { readonly created: Rel }
  | { readonly bucket: { readonly salt?: string; readonly below: number } }
  | PropertyRule
  | LastRule
  | CountRule

export type Rule =
  | { readonly all: readonly Rule[] }
  | { readonly any: readonly Rule[] }
  | { readonly not: Rule }
  | Leaf
