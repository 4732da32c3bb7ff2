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
        'Capabilities meet in the domain, in facts and in ports. Segments are built on recording and reading: the one arrow between capabilities.',
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
      name: 'the-event-store-and-the-read-model-share-the-file-alone',
      comment: 'Two houses over one driver: either could be another technology.',
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
      comment: 'A port is declared for its caller, and depends on none.',
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
      comment: 'But for the ports that a sibling declares: who implements one says so.',
      severity: 'error',
      from: { path: '^src/adapters/([^/]+)/' },
      to: { path: '^src/adapters/', pathNot: '^src/adapters/($1/|[^/]+/ports/)' },
    },
    {
      name: 'client-imports-nothing-outside-itself',
      comment:
        'It runs in programs of others and in browsers: no other folder, package or module of Node.',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { pathNot: '^src/client/' },
    },
    {
      name: 'importing-speaks-through-the-client-alone',
      comment:
        'It is a program of a user. From other folders it takes the command line, the printing of numbers and progress, and the meaning of the text of a time.',
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
      comment: 'It runs in browsers, and what the client cannot ask for, nobody can.',
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
      comment: 'But for the console, which is built with what it imports inside.',
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
