import type { JSX } from 'preact'
import { addressOf } from '../frame/route.js'
import { Card } from '../parts/card.js'

/** Common questions, each with a link to the page that answers it. */
export function Questions(): JSX.Element {
  return (
    <Card title="Ask">
      <ul class="questions">
        <li>
          <a href={addressOf(['segments', '+'], { like: 'yesterday' })}>
            Who bought most yesterday?
          </a>
        </li>
        <li>
          <a href={addressOf(['segments', '+'], { like: 'frequent' })}>
            How many ordered three times in 30 days?
          </a>
        </li>
        <li>
          <a href={addressOf(['refusals'])}>What was refused in the last minute?</a>
        </li>
      </ul>
    </Card>
  )
}
