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

  /** Returns the member's place, with which it is removed. */
  add(member: T): number {
    const place = this.free.pop() ?? this.places.length
    this.places[place] = member
    return place
  }

  /** Whether the member was still there. */
  remove(place: number, member: T): boolean {
    if (this.places[place] !== member) return false
    this.places[place] = undefined
    this.free.push(place)
    return true
  }

  /** Removes all of whom it is true. */
  removeEach(isTrueOf: (member: T) => boolean): void {
    this.places.forEach((member, place) => {
      if (member !== undefined && isTrueOf(member)) this.remove(place, member)
    })
  }

  members(): readonly T[] {
    return this.places.filter((member) => member !== undefined)
  }
}
