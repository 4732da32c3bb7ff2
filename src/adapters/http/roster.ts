/**
 * Who is here, for those who come and go with every request. Places in a list are used again; a set
 * that is filled and emptied all the time leaves its old tables behind, and each keeps what it held
 * alive until the next full garbage collection.
 */
export class Roster<T> {
  private readonly places: (T | undefined)[] = []
  private readonly free: number[] = []

  get size(): number {
    return this.places.length - this.free.length
  }

  /** Returns the member's place, with which it is removed, once. */
  add(member: T): number {
    const place = this.free.pop() ?? this.places.length
    this.places[place] = member
    return place
  }

  remove(place: number): void {
    this.places[place] = undefined
    this.free.push(place)
  }

  members(): readonly T[] {
    return this.places.filter((member) => member !== undefined)
  }
}
