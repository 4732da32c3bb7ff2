import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Webhook } from '../../../client/dossier.js'
import { step } from '../../../client/requests.js'
import { addressOf, go } from '../../frame/route.js'
import { literal } from '../../parts/calls.js'
import { CopyMenu } from '../../parts/copy-menu.js'
import { Text } from '../../parts/id.js'
import { Menu, MenuItem } from '../../parts/menu.js'
import { PageHead } from '../../parts/page-head.js'
import { When } from '../../parts/when.js'
import { WebhookState } from '../webhook-state.js'
import { MoveDialog } from './move-dialog.js'
import { RemoveQuestion } from './remove-question.js'
import { RotateQuestion } from './rotate-question.js'
import { RunButton } from './run-button.js'

/** The head of a webhook's page: its title, and the actions on it. */
export function WebhookHead({ webhook }: { webhook: Webhook }): JSX.Element {
  const { key, title, version, defined_at: at, state } = webhook
  const [asked, setAsked] = useState<'replay' | 'rotate' | 'remove'>()
  const close = () => {
    setAsked(undefined)
  }
  return (
    <PageHead
      path={<a href={addressOf(['webhooks'])}>Webhooks</a>}
      title={<Text text={title ?? key} />}
      mark={<WebhookState state={state} />}
      sub={
        <>
          {title !== null && `${key} · `}version {version}, <When at={at} />
        </>
      }
    >
      <CopyMenu
        call={{
          path: `/webhooks/${step(key)}`,
          code: `await dossier.webhooks.get(${literal(key)})`,
        }}
      />
      <Menu name="More">
        <MenuItem
          icon="edit"
          onClick={() => {
            go(addressOf(['webhooks', key, 'change']))
          }}
        >
          Change this webhook …
        </MenuItem>
        <MenuItem
          icon="clock"
          onClick={() => {
            setAsked('replay')
          }}
        >
          Replay from a cursor …
        </MenuItem>
        <MenuItem
          icon="key"
          onClick={() => {
            setAsked('rotate')
          }}
        >
          Make a new secret …
        </MenuItem>
        <MenuItem
          icon="trash"
          onClick={() => {
            setAsked('remove')
          }}
        >
          Remove this webhook …
        </MenuItem>
      </Menu>
      <RunButton webhook={webhook} />
      {asked === 'replay' && <MoveDialog webhook={webhook} action="replay" onClose={close} />}
      {asked === 'rotate' && <RotateQuestion webhook={key} onClose={close} />}
      {asked === 'remove' && <RemoveQuestion webhook={webhook} onClose={close} />}
    </PageHead>
  )
}
