/**
 * Preloaded into the service. Stops the service when its parent process has ended for any reason, because the
 * channel between them then breaks. Otherwise a forgotten service would keep the data locked.
 */
process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM')
})
process.channel?.unref()
