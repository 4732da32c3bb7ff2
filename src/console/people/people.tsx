import type { JSX } from 'preact'
import type { Route } from '../frame/route.js'
import { Person } from '../person/person.js'
import { Why } from '../why/why.js'
import { PeopleList } from './people-list.js'

/** All people, one of them, or why one is in a segment: by the address. */
export function People(route: Route): JSX.Element {
  const [, id, why, segment] = route.parts
  if (id === undefined) return <PeopleList parts={route.parts} query={route.query} />
  if (why === 'why' && segment !== undefined) {
    return <Why key={`${id}/${segment}`} id={id} segment={segment} route={route} />
  }
  return <Person key={id} id={id} route={route} />
}
