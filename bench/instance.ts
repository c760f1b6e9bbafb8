/** Prepares instances for benchmarks. */
import type { Instance } from '../dev/instance.ts'
import { send } from './deliveries.ts'

/** Lifts the limits of instances that start later, because benchmarks send more requests than the limits allow. */
export function liftRateLimits(): void {
  for (const name of ['READS', 'WRITES', 'ANONYMOUS']) process.env[`RATE_LIMIT_${name}`] = '100000000'
}

/** Signs in to the operator API, and returns the access token. */
export async function signInToApi({
  operator_base_url: base,
  operator_email: email,
  operator_password: password,
}: Instance): Promise<string> {
  const signedIn = await send<{ data: { access_token: string } }>('POST', `${base}/sign_in`, '', {
    email,
    password,
  })
  return signedIn.data.access_token
}
