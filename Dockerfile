FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json tsconfig.client.json tsconfig.subscription.json ./
COPY src ./src
COPY tools/build.js tools/build-client.js tools/build-console.js tools/build-open-api.js tools/steps.js ./tools/
# On this Node SQLite is built in: the optional drop-in for older ones stays out.
# The mode is said, since in a checkout made with umask 077 only its owner may read the file.
RUN node tools/build.js server console && npm prune --omit=dev --omit=optional && chmod 644 package.json

FROM node:26-slim
ENV NODE_ENV=production HOST=0.0.0.0 DOSSIER_IMAGE=on
WORKDIR /app
RUN mkdir data && chown 1000:1000 data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# The user `node`, by number: Kubernetes' runAsNonRoot takes no name.
USER 1000
VOLUME /app/data
EXPOSE 3000
# Not readiness: while its store is away, a start anew helps nobody.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 3000}/health/live`).then((reply) => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
