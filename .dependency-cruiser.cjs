/** Imports point inward: adapters → application → domain; composition imports all. */
module.exports = {
  forbidden: [
    {
      name: 'domain-imports-nothing-outside-itself',
      comment: 'The domain is pure: no other folder, no package, no module of Node.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { pathNot: '^src/domain/' },
    },
    {
      name: 'a-capability-imports-no-other',
      comment:
        'A capability imports only facts and ports. Only segments import other capabilities: recording and reading.',
      severity: 'error',
      from: { path: '^src/application/(?!segments/)([^/]+)/' },
      to: {
        path: '^src/application/[^/]+/',
        pathNot: ['^src/application/($1|facts|ports)/', '^src/application/[^/]+/ports/'],
      },
    },
    {
      name: 'segments-import-recording-and-reading-alone',
      severity: 'error',
      from: { path: '^src/application/segments/' },
      to: {
        path: '^src/application/[^/]+/',
        pathNot: '^src/application/(segments|recording|reading|facts|ports)/',
      },
    },
    {
      name: 'webhooks-import-the-ports-of-reading-alone',
      comment:
        'Webhooks read only what the feed reads. They import nothing of segments and erasing.',
      severity: 'error',
      from: { path: '^src/application/webhooks/' },
      to: {
        path: '^src/application/[^/]+/',
        pathNot: '^src/application/(webhooks|facts|ports|reading/ports)/',
      },
    },
    {
      name: 'the-event-store-and-the-read-model-share-the-file-alone',
      comment:
        'The event store and the read model share the driver. Either of them could move to another technology.',
      severity: 'error',
      from: { path: '^src/adapters/sqlite/(event-store|read-model)/' },
      to: {
        path: '^src/adapters/sqlite/(event-store|read-model)/',
        pathNot: '^src/adapters/sqlite/$1/',
      },
    },
    {
      name: 'application-imports-the-domain-only',
      severity: 'error',
      from: { path: '^src/application/' },
      to: { path: '^src/', pathNot: '^src/(application|domain)/' },
    },
    {
      name: 'ports-know-no-use-case',
      comment: 'A port is declared for its callers and imports none of them.',
      severity: 'error',
      from: { path: ['^src/application/ports/', '^src/application/[^/]+/ports/'] },
      to: {
        pathNot: [
          '^src/application/ports/',
          '^src/application/[^/]+/ports/',
          '^src/application/facts/stored-fact.ts',
          '^src/domain/',
        ],
      },
    },
    {
      name: 'adapters-import-inward-only',
      severity: 'error',
      from: { path: '^src/adapters/' },
      to: { path: '^src/', pathNot: '^src/(adapters|application|domain)/' },
    },
    {
      name: 'no-adapter-imports-a-sibling',
      comment:
        'Exceptions: the ports of a sibling, and make-folder.ts, which creates folders for all adapters.',
      severity: 'error',
      from: { path: '^src/adapters/([^/]+)/' },
      to: { path: '^src/adapters/', pathNot: '^src/adapters/($1/|[^/]+/ports/|make-folder\\.ts)' },
    },
    {
      name: 'client-imports-nothing-outside-itself',
      comment:
        'The client runs in other programs and in browsers. It imports no other folder, no package and no module of Node.',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { pathNot: '^src/client/' },
    },
    {
      name: 'importing-speaks-through-the-client-alone',
      comment:
        'The import runs as a client of the service. From other folders, it imports the command line, the output of numbers and progress, and the parser of times.',
      severity: 'error',
      from: { path: '^src/(commands/import\\.ts|importing/)' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(importing/|client/dossier\\.ts|domain/instant\\.ts|adapters/cli/(aligned-rows|command-line|show-progress)\\.ts)',
      },
    },
    {
      name: 'the-console-speaks-through-the-client-alone',
      comment:
        'The console runs in browsers. It uses the client, so every caller can request what the console shows.',
      severity: 'error',
      from: { path: '^src/console/' },
      to: { pathNot: '^(src/(console|client)/|node_modules/(preact|lucide)/)' },
    },
    {
      name: 'nobody-imports-the-console',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/console/' },
      to: { path: '^src/console/' },
    },
    {
      name: 'only-composition-knows-inversify',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/composition/' },
      to: { path: 'node_modules/(inversify|@inversifyjs|reflect-metadata)/' },
    },
    {
      name: 'product-imports-no-development-package',
      comment: 'Exception: the console, whose bundle contains its packages.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/console/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'nothing-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['(-thread|dossier|subscription)\\.ts$', '\\.d\\.ts$'] },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
}
