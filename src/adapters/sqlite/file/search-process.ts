import type { SearchAnswer } from './search-files.js'
import { searchHere, type Search } from './search-here.js'

/**
 * Entry point of the child process of `searchFiles`. The process makes one search, sends the response, and
 * exits. The process also exits when its parent process ends.
 */
process.once('disconnect', () => process.exit())
process.once('message', (search: Search) => {
  const answer = (message: SearchAnswer) => process.send?.(message, () => process.exit())
  searchHere(search).then(answer, (error: unknown) => answer({ failure: String(error) }))
})
