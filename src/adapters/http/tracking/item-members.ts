import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../domain/json.js'
import { nameViolations } from '../../../domain/name.js'
import { maxViolations, propertyViolations } from '../../../domain/properties.js'
import { broken, type RuleViolation, type ViolationCode } from '../../../domain/rule-violation.js'
import { detailOf, type Detail } from '../errors/faults.js'

/** Returns whether a member counts as absent. SDKs send `null` or empty text for unknown values. */
export function isAbsent(value: Json | undefined): value is undefined | null | '' {
  return value === undefined || value === null || value === ''
}

function isEmptyList(value: Json): boolean {
  return isJsonArray(value) && value.length === 0
}

/** Reads the members of one item, and collects all violations in `details`. */
export class ItemMembers {
  readonly details: Detail[] = []

  constructor(private readonly item: JsonObject) {}

  of(name: string): Json | undefined {
    return Object.hasOwn(this.item, name) ? this.item[name] : undefined
  }

  /**
   * Returns the id of a user or a message. Returns undefined when the member is absent. A number
   * becomes its decimal text.
   */
  id(name: string): string | undefined {
    const value = this.of(name)
    if (isAbsent(value)) return undefined
    if (typeof value === 'number') {
      if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
        this.refuse(
          name,
          'number_out_of_range',
          'is a number that is not exact: send it as a string',
        )
      }
      return String(value)
    }
    if (typeof value !== 'string') {
      this.refuse(name, 'wrong_type', 'must be a string')
      return undefined
    }
    return value
  }

  /**
   * Returns the object of a member. An absent member, null and an empty list become `{}`, because PHP writes an
   * empty object as `[]`.
   */
  object(name: string): JsonObject {
    return this.objectAt(this.of(name), name)
  }

  /** Returns the object at the path `place`, with the same conversions as `object`. */
  objectAt(value: Json | undefined, ...place: readonly string[]): JsonObject {
    if (value === undefined || value === null || isEmptyList(value)) return {}
    if (isJsonObject(value)) return value
    this.add(place, [broken('wrong_type', 'must be a JSON object')])
    return {}
  }

  /**
   * Returns the traits of the item, and those traits from `ofContext` whose names the item does not
   * use.
   */
  traitsOver(ofContext: Json | undefined): JsonObject {
    const own = this.object('traits')
    const traits = { ...this.objectAt(ofContext, 'context', 'traits'), ...own }
    for (const violation of propertyViolations(traits)) {
      const [name] = violation.path
      const isOwn = name === undefined || Object.hasOwn(own, name)
      this.add(isOwn ? ['traits'] : ['context', 'traits'], [violation])
    }
    return traits
  }

  /** Returns the name of an event without surrounding white space. */
  eventName(name: string): string {
    const value = this.of(name)
    if (typeof value === 'string') {
      const trimmed = value.trim()
      this.checkName(trimmed, name)
      return trimmed
    }
    if (isAbsent(value)) this.refuse(name, 'required', 'is required')
    else this.refuse(name, 'wrong_type', 'must be a string')
    return ''
  }

  /**
   * Checks the rules for properties. `place` is the path of the properties. The path is empty when
   * the item itself contains them.
   */
  checkProperties(properties: JsonObject, ...place: readonly string[]): void {
    this.add(place, propertyViolations(properties))
  }

  checkName(text: string, place: string): void {
    this.add([place], nameViolations(text))
  }

  refuse(name: string, code: ViolationCode, message: string): void {
    this.add([name], [broken(code, message)])
  }

  private add(place: readonly string[], violations: readonly RuleViolation[]): void {
    const room = maxViolations - this.details.length
    for (const violation of violations.slice(0, room)) this.details.push(detailOf(violation, place))
  }
}

/** Adds members to properties. Skips empty members, and members whose name is already a property. */
export function withMembers(
  properties: JsonObject,
  members: Readonly<Record<string, Json | undefined>>,
): JsonObject {
  const added: Record<string, Json> = {}
  for (const [name, value] of Object.entries(members)) {
    if (!isAbsent(value) && !Object.hasOwn(properties, name)) added[name] = value
  }
  return { ...properties, ...added }
}
