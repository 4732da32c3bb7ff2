import { openApiDocument } from '../../src/adapters/http/routes/open-api.js'
import { readRoutes, routes } from '../../src/adapters/http/routes/routes.js'
import { OpenApiChecker } from './open-api-checker.js'

/** The OpenAPI document of all routes. */
export const servedDocument = openApiDocument([...routes, ...readRoutes], '0.0.0')

/** Shared by all suites of a process, because compiling the schemas takes longer than most suites. */
export const checker = new OpenApiChecker(servedDocument)
