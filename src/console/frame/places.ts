import { DictionaryPage } from '../dictionary/dictionary.js'
import { Erasures } from '../erasures/erasures.js'
import { Live } from '../live/live.js'
import { Overview } from '../overview/overview.js'
import type { IconName } from '../parts/icon.js'
import { People } from '../people/people.js'
import { Refusals } from '../refusals/refusals.js'
import { Segments } from '../segments/segments.js'
import { Settings } from '../settings/settings.js'
import { Webhooks } from '../webhooks/webhooks.js'
import type { View } from './route.js'

/** A page of the sidebar. */
export interface Place {
  /** The first part of the page's address. */
  readonly part: string
  readonly title: string
  readonly icon: IconName
  readonly view: View
  /** Whether the page is in the menu "More" when the window is narrower than 520 px. */
  readonly isRare?: boolean
}

/** All pages, in the order of the sidebar. To add a page, add a line here. */
export const places: readonly Place[] = [
  { part: '', title: 'Overview', icon: 'chart', view: Overview },
  { part: 'people', title: 'People', icon: 'people', view: People },
  { part: 'segments', title: 'Segments', icon: 'pie', view: Segments },
  { part: 'live', title: 'Live', icon: 'activity', view: Live },
  { part: 'refusals', title: 'Refusals', icon: 'alert', view: Refusals, isRare: true },
  { part: 'webhooks', title: 'Webhooks', icon: 'webhook', view: Webhooks, isRare: true },
  { part: 'erasures', title: 'Erasures', icon: 'trash', view: Erasures, isRare: true },
  { part: 'data', title: 'Data', icon: 'data', view: DictionaryPage, isRare: true },
  { part: 'settings', title: 'Settings', icon: 'settings', view: Settings, isRare: true },
]

export function placeOf(part: string): Place | undefined {
  return places.find((place) => place.part === part)
}
