import type { JSX } from 'preact'
import type { Route } from '../frame/route.js'
import { Person } from '../person/person.js'
import { Why } from '../why/why.js'
import { PeopleList } from './people-list.js'
import { PropertySearch } from './property-search.js'
import { Search } from './search.js'
import './people.css'

/** Shows all people, a search, one person, or a person's membership in a segment, as the address says. */
export function People(route: Route): JSX.Element {
  const [, id, why, segment] = route.parts
  if (id !== undefined) {
    return why === 'why' && segment !== undefined ? (
      <Why key={`${id}/${segment}`} id={id} segment={segment} route={route} />
    ) : (
      <Person key={id} id={id} route={route} />
    )
  }
  const { query } = route
  const [text, property, is] = [query.get('q'), query.get('property'), query.get('is')]
  if (text !== null && text !== '') return <Search key={text} text={text} />
  if (property !== null && is !== null)
    return <PropertySearch key={query.toString()} route={route} property={property} is={is} />
  return <PeopleList parts={route.parts} query={query} />
}
