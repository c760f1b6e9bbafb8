# Image of all Gatehouse processes. They differ only in their command.
FROM node:26.12.1-trixie-slim AS base
WORKDIR /app

FROM base AS dependencies
COPY package.json package-lock.json .npmrc ./
# No dependency needs its install script. Removes the second Node.js, Temporal's core for other systems, and the canvas
# of pdf.js, which only browsers use here.
RUN npm ci --omit=dev --ignore-scripts \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node node_modules/@napi-rs/canvas* \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +

FROM base AS build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
# .dockerignore limits the copied files.
COPY . .
RUN npm run build

FROM base
# Up to half of these threads can wait for DNS lookups. They share two heaps of the C library, which saves 30 MB.
ENV NODE_ENV=production UV_THREADPOOL_SIZE=32 MALLOC_ARENA_MAX=2
# Stack traces show source lines. The smaller semi-space limits young objects to 48 MB in each thread.
ENV NODE_OPTIONS="--enable-source-maps --max-semi-space-size=16" WORKFLOW_BUNDLE=dist/workflow-bundle.js
# A new volume inherits the owner of this folder.
RUN install -d -o node -g node -m 700 /var/lib/gatehouse/files
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/package.json package.json
COPY --from=build /app/dist dist
USER node
CMD ["node", "dist/src/server.js"]
