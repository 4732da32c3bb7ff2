/** A stored fact of ours whose text is not what this version, or any before it, has written. */
export class UnreadableFact extends Error {
  readonly code = 'unreadable_fact'
  override readonly name = 'UnreadableFact'
}

/** A fact of a type of ours in a version that came after this program. Nothing was made of it. */
export class NewerSchemaVersion extends Error {
  readonly code = 'newer_schema_version'
  override readonly name = 'NewerSchemaVersion'

  /** `where`: which fact, for people. */
  constructor(
    where: string,
    readonly version: number,
    readonly supported: number,
  ) {
    super(
      `${where} has schema version ${String(version)}, this program reads up to ${String(supported)}; ` +
        'update it and start it again: it goes on from here',
    )
  }
}
