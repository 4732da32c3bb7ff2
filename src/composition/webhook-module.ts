import { ContainerModule } from 'inversify'
import { WebhookLog } from '../application/webhooks/webhook-log.js'
import { erasing } from './erasing.js'
import { tokens } from './parts.js'
import { storeKindOf } from './stores.js'
import { openWebhooks } from './webhooks.js'

/** Binds the definitions of webhooks, their use cases and their sender. */
export const webhookModule = new ContainerModule(({ bind }) => {
  bind(tokens.webhookLog).toResolvedValue((store) => new WebhookLog(store), [tokens.guardedStore])
  bind(tokens.webhooks)
    .toResolvedValue(
      (
        settings,
        webhooks,
        opened,
        store,
        model,
        given,
        worker,
        clock,
        ids,
        log,
        version,
        metrics,
      ) => {
        const open = openWebhooks({
          settings,
          webhooks,
          opened,
          store,
          model,
          clock,
          ids,
          log,
          version,
          isShared: storeKindOf(settings.storeUrl)?.isShared ?? true,
          confirmErasure: erasing(given, model, worker).confirmErasure,
          hasLedgerCaughtUp: () => worker?.isReady ?? true,
        })
        if (open.sender !== undefined) metrics.showWebhooks(open.sender)
        return open
      },
      [
        tokens.settings,
        tokens.webhookLog,
        tokens.store,
        tokens.guardedStore,
        tokens.readModel,
        tokens.erasing,
        tokens.erasureWorker,
        tokens.clock,
        tokens.ids,
        tokens.log,
        tokens.version,
        tokens.metrics,
      ],
    )
    .onDeactivation((webhooks) => webhooks.close())
})
