/** Command: `npm run gallery`. Serves all components in all their states, to look at them while they change. */
import { runnerImport } from 'vite'

const PORT = 4200

// Node.js does not run JSX.
const { module } = await runnerImport<typeof import('./app.tsx')>('./dev/gallery/app.tsx')
module.galleryApp().listen(PORT, () => console.log(`http://localhost:${PORT}`))
