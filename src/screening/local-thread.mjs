/** Loads the thread of the local screening from its source. Deployments use the compiled thread. */
import { register } from 'tsx/esm/api'

register()
await import('./local-thread.ts')
