import { searchHere, type Search, type SearchAnswer } from './search-files.js'

/** The program of `searchFiles`: it makes one search, answers, and ends. It ends with its parent, too. */
process.once('disconnect', () => process.exit())
process.once('message', (search: Search) => {
  const answer = (message: SearchAnswer) => process.send?.(message, () => process.exit())
  searchHere(search).then(answer, (error: unknown) => answer({ failure: String(error) }))
})
