import { render } from 'preact'
import { App } from './frame/app.js'
import { copyTimesWhole } from './parts/when.js'
import './styles/console.css'

copyTimesWhole()
addEventListener('keydown', (event) => {
  const isTyping =
    event.target instanceof Element && event.target.closest('input, textarea, select') !== null
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  location.hash = '#/'
  document.querySelector<HTMLElement>('[autofocus]')?.focus()
})
render(<App />, document.body)
