import type { AccountIdKind } from '../../../account-id.ts';
import type { PersonalAccessTokenRegistry } from '../../../personal-access-tokens/personal-access-token-registry.ts';
import type { ScopeTable } from '../../../scopes/scope-table.ts';
import type { Route } from '../../route.ts';
import { deletePat } from './delete-pat.ts';
import { getPats } from './get-pats.ts';
import { patSchemas } from './pat-schemas.ts';
import { postPats } from './post-pats.ts';

export function patRoutes(
  registry: PersonalAccessTokenRegistry,
  scopeTable: ScopeTable,
  accountIdKind: AccountIdKind,
): readonly Route[] {
  const schemas = patSchemas(scopeTable, accountIdKind);
  return [
    postPats(registry, scopeTable, schemas),
    getPats(registry, scopeTable, accountIdKind, schemas),
    deletePat(registry),
  ];
}
