import { Component, type ComponentChildren, type JSX } from 'preact'
import { Button } from '../parts/button.js'

interface Props {
  readonly children: ComponentChildren
}

interface State {
  readonly fault?: { readonly error: unknown } | undefined
}

/**
 * Replaces its children by a message when the page itself fails, while rendering or in a promise without a handler.
 * Without the message, a failed view would show "…" for ever. Error replies of the service never get here.
 */
export class FaultBoundary extends Component<Props, State> {
  static override getDerivedStateFromError(error: unknown): State {
    return { fault: { error } }
  }

  override state: State = {}

  readonly #takeRejection = ({ reason }: PromiseRejectionEvent): void => {
    this.setState({ fault: { error: reason } })
  }

  override componentDidMount(): void {
    addEventListener('unhandledrejection', this.#takeRejection)
  }

  override componentWillUnmount(): void {
    removeEventListener('unhandledrejection', this.#takeRejection)
  }

  override render(): ComponentChildren {
    const { fault } = this.state
    return fault === undefined ? (
      this.props.children
    ) : (
      <Fault
        error={fault.error}
        retry={() => {
          this.setState({ fault: undefined })
        }}
      />
    )
  }
}

function Fault({ error, retry }: { error: unknown; retry: () => void }): JSX.Element {
  return (
    <div role="alert" class="trouble">
      <p>This page has a fault of its own. The service and its data are not affected.</p>
      <p>
        <code>{error instanceof Error ? `${error.name}: ${error.message}` : String(error)}</code>
      </p>
      <Button onClick={retry}>Show the page again</Button>
    </div>
  )
}
