import type { PersonalAccessTokenRegistry } from '../../../personal-access-tokens/personal-access-token-registry.ts';
import type { Route } from '../../route.ts';
import { deletePat } from './delete-pat.ts';
import { getPats } from './get-pats.ts';
import { postPats } from './post-pats.ts';

export function patRoutes(registry: PersonalAccessTokenRegistry): readonly Route[] {
  return [postPats(registry), getPats(registry), deletePat(registry)];
}
