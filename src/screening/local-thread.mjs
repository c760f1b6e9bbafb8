/** Loads the thread of the local screening from its source. Deployments have the compiled thread instead. */
import { register } from 'tsx/esm/api'

register()
await import('./local-thread.ts')
