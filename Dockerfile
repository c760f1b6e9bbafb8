# The image of every Gatehouse process; they differ by their command only.
FROM node:24.18.0-trixie-slim AS base
WORKDIR /app

FROM base AS dependencies
COPY package.json package-lock.json .npmrc ./
# No dependency needs its install script here; what Temporal's core brings for other systems is left out, and so is
# what pdf.js draws with where there is no browser.
RUN npm ci --omit=dev --ignore-scripts \
  && rm -rf node_modules/@napi-rs/canvas* \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +

FROM base AS build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
# What .dockerignore lets through.
COPY . .
RUN npm run build

FROM base
# Half of these threads may wait for names that do not resolve.
ENV NODE_ENV=production UV_THREADPOOL_SIZE=32
# Stacks name the places of the sources. Young objects of each thread take 48 MB at most, not a hundred.
ENV NODE_OPTIONS="--enable-source-maps --max-semi-space-size=16" WORKFLOW_BUNDLE=dist/workflow-bundle.js
# A new volume takes over the owner of the folder it is mounted on.
RUN install -d -o node -g node -m 700 /var/lib/gatehouse/files
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/package.json package.json
COPY --from=build /app/dist dist
USER node
CMD ["node", "dist/src/server.js"]
