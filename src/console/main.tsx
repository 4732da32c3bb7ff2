import { render } from 'preact'
import { App } from './frame/app.js'
import { copyTimesWhole } from './parts/when.js'
import './styles/tokens.css'
import './styles/elements.css'
import './styles/parts.css'
import './frame/frame.css'

copyTimesWhole()
render(<App />, document.body)
