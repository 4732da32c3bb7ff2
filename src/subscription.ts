/** `dossier/subscription`: the facts in EventStoreDB, for services that follow them. */
export * from './adapters/eventstoredb/log/subscription.js'
