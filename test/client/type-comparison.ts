import ts from 'typescript'
import type { Schema } from '../support/operations/json-schema.js'

/** The exported types of a program's files, as the compiler sees them, to be held against JSON Schemas. */
export class TypeComparison {
  private readonly program: ts.Program
  private readonly checker: ts.TypeChecker
  private readonly compared = new Map<ts.Type, Map<string, readonly string[]>>()

  /** `schemas`: what references in schemas lead to, by name. */
  constructor(
    entry: string,
    private readonly schemas: Readonly<Record<string, Schema>>,
  ) {
    this.program = ts.createProgram([entry], {
      strict: true,
      exactOptionalPropertyTypes: true,
      types: [],
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
    })
    this.checker = this.program.getTypeChecker()
  }

  /** The type that the file exports under this name. */
  exported(path: string, name: string): ts.Type {
    const file = this.program.getSourceFile(path)
    const module = file && this.checker.getSymbolAtLocation(file)
    const symbol = module && this.checker.tryGetMemberInModuleExports(name, module)
    if (symbol === undefined) throw new Error(`${path} exports no ${name}`)
    return this.checker.getDeclaredTypeOfSymbol(symbol)
  }

  /** The members of an object type, by name. */
  members(type: ts.Type): ReadonlyMap<string, ts.Type> {
    return new Map(
      this.checker
        .getPropertiesOfType(type)
        .map((member) => [member.name, this.checker.getTypeOfSymbol(member)]),
    )
  }

  /**
   * Where the type and the union of the schemas differ, each with its place. A comparison that is under way counts as
   * no difference, since rules have rules inside.
   */
  differences(type: ts.Type, schemas: readonly Schema[], place: string): readonly string[] {
    const text = JSON.stringify(schemas)
    const compared = this.compared.get(type) ?? new Map<string, readonly string[]>()
    this.compared.set(type, compared)
    const known = compared.get(text)
    if (known !== undefined) return known
    compared.set(text, [])
    const found = this.compare(type, schemas, place)
    compared.set(text, found)
    return found
  }

  private compare(type: ts.Type, schemas: readonly Schema[], place: string): readonly string[] {
    const all = schemas.flatMap((schema) => this.partsOf(schema))
    const parts = [...new Map(all.map((part) => [JSON.stringify(part), part])).values()]
    const types = this.constituents(type)
    const named = [...new Set(types.flatMap((one) => this.leafOf(one) ?? []))].sort()
    const listed = [...new Set(parts.flatMap(leavesOf))].sort()
    const faults =
      named.join() === listed.join()
        ? []
        : [`${place}: the type has ${named.join(' | ')}, the document ${listed.join(' | ')}`]
    const items = parts.flatMap(({ items: one }) => one ?? [])
    const elements = types.flatMap((one) => this.elementOf(one) ?? [])
    if (items.length > 0 && elements[0] !== undefined) {
      faults.push(...this.differences(elements[0], items, `${place}[]`))
    }
    const objects = types.filter((one) => this.leafOf(one) === 'object')
    const shapes = parts.filter(({ properties }) => properties !== undefined)
    return [...faults, ...this.objectDifferences(objects, shapes, place)]
  }

  /** Several shapes are told apart by their members; one shape may be several types that divide it. */
  private objectDifferences(
    types: readonly ts.Type[],
    shapes: readonly Schema[],
    place: string,
  ): readonly string[] {
    if (shapes.length === 0 || types.length === 0) return []
    if (shapes.length === 1) return shapes.flatMap((shape) => this.shapeFaults(types, shape, place))
    const missing = shapes.filter(
      (shape) => !types.some((type) => this.shapeFaults([type], shape, place).length === 0),
    )
    const faults = missing.map((shape) => {
      const tried = types.map((type) => this.shapeFaults([type], shape, place))
      return tried.sort((left, right) => left.length - right.length)[0]?.join('; ') ?? place
    })
    return types.length === shapes.length
      ? faults
      : [...faults, `${place}: ${String(types.length)} types for ${String(shapes.length)} shapes`]
  }

  private shapeFaults(types: readonly ts.Type[], shape: Schema, place: string): readonly string[] {
    const { properties = {}, required = [] } = shape
    const members = this.mergedMembers(types)
    const typed = [...members.keys()].filter((name) => !(name in properties))
    return [
      ...typed.map((name) => `${place}.${name}: not in the document`),
      ...Object.entries(properties).flatMap(([name, schema]) => {
        const member = members.get(name)
        if (member === undefined) return [`${place}.${name}: not in the type`]
        const isRequired = required.includes(name)
        const faults = this.anyOfTypes(member.types, schema, `${place}.${name}`)
        return member.isOptional === isRequired
          ? [...faults, `${place}.${name}: ${isRequired ? 'required' : 'optional'} in the document`]
          : faults
      }),
    ]
  }

  private anyOfTypes(types: readonly ts.Type[], schema: Schema, place: string): readonly string[] {
    const [only] = types
    if (only !== undefined && types.length === 1) return this.differences(only, [schema], place)
    const leaves = new Set(
      types.flatMap((type) => this.constituents(type)).map((t) => this.leafOf(t)),
    )
    const listed = new Set(this.partsOf(schema).flatMap(leavesOf))
    const isSame = [...leaves].sort().join() === [...listed].sort().join()
    return isSame ? [] : [`${place}: other values`]
  }

  private mergedMembers(types: readonly ts.Type[]) {
    const all = types.map((type) => this.checker.getPropertiesOfType(type))
    const names = new Set(all.flat().map(({ name }) => name))
    return new Map(
      [...names].map((name) => {
        const symbols = all.map((members) => members.find((member) => member.name === name))
        const isOptional = symbols.some(
          (symbol) => symbol === undefined || (symbol.flags & ts.SymbolFlags.Optional) !== 0,
        )
        const found = symbols.filter((symbol) => symbol !== undefined)
        return [name, { types: found.map((one) => this.checker.getTypeOfSymbol(one)), isOptional }]
      }),
    )
  }

  /** A schema as the parts of a union, without references. */
  private partsOf(schema: Schema): readonly Schema[] {
    const { $ref, anyOf, oneOf } = schema
    if ($ref !== undefined) {
      const target = this.schemas[$ref.split('/').at(-1) ?? '']
      if (target === undefined) throw new Error(`nothing is at ${$ref}`)
      return this.partsOf(target)
    }
    const choices = anyOf ?? oneOf
    // What stands beside the choices says the type where a choice says nothing.
    if (choices !== undefined && schema.type === undefined) {
      return choices.flatMap((choice) => this.partsOf(choice))
    }
    return [schema]
  }

  private constituents(type: ts.Type): readonly ts.Type[] {
    const types = type.isUnion() ? type.types : [type]
    return types.filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0)
  }

  private elementOf(type: ts.Type): ts.Type | undefined {
    return this.checker.isArrayLikeType(type)
      ? this.checker.getIndexTypeOfType(type, ts.IndexKind.Number)
      : undefined
  }

  private leafOf(type: ts.Type): string | undefined {
    const { flags } = type
    if (type.isStringLiteral() || type.isNumberLiteral()) return JSON.stringify(type.value)
    if ((flags & ts.TypeFlags.BooleanLike) !== 0) return 'boolean'
    if ((flags & ts.TypeFlags.String) !== 0) return 'string'
    if ((flags & ts.TypeFlags.Number) !== 0) return 'number'
    if ((flags & ts.TypeFlags.Null) !== 0) return 'null'
    if (this.checker.isArrayLikeType(type)) return 'array'
    return (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0 ? undefined : 'object'
  }
}

function leavesOf(schema: Schema): readonly string[] {
  // The compiler's types of true and false are not told apart here.
  if (typeof schema.const === 'boolean') return ['boolean']
  if (schema.const !== undefined) return [JSON.stringify(schema.const)]
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value))
  return [schema.type ?? []].flat().map((type) => (type === 'integer' ? 'number' : type))
}
