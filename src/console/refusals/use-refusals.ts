import type { Calls } from '../../client/calls.js'
import { useSession } from '../frame/session.js'
import { oftenMs, useAnswer, type Shown } from '../parts/use-answer.js'
import { RefusalList, type RefusalsSeen } from './refusal-list.js'

/** One list per signed-in key, so that all pages continue the same list. */
const lists = new WeakMap<Calls, RefusalList>()

/** The refused requests that the process remembers. */
export function useRefusals(everyMs = oftenMs): Shown<RefusalsSeen> {
  const { client } = useSession()
  const list = lists.get(client) ?? new RefusalList(client)
  lists.set(client, list)
  return useAnswer(['refusals'], (signal) => list.read(signal), everyMs)
}
