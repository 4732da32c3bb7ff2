import { searchHere, type Search } from './search-files.js'

/** The program of `searchFiles`: makes one search, and ends with the process that wants it. */
process.once('disconnect', () => process.exit())
process.once('message', (search: Search) => {
  void searchHere(search).then((searched) => process.send?.(searched, () => process.exit()))
})
