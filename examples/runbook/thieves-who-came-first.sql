select refused.event->>'tenantId' as tenant_id, refused.event->>'subject' as subject, refused.event->>'clientId' as client_id,
  refused.event->>'grantId' as older_grant, refused.at as refused_at, min(again.at) as signed_in_again_at, max(used.at) as used_until
from sign_in_events refused
join sign_in_events again on again.event->>'type' = 'issued'
  and again.event->>'tenantId' = refused.event->>'tenantId'
  and again.event->>'subject' = refused.event->>'subject'
  and again.event->>'clientId' = refused.event->>'clientId'
  and again.event->>'grantId' <> refused.event->>'grantId'
  and again.at between refused.at and refused.at + interval '1 day'
left join sign_in_events used on used.event->>'type' in ('refreshed', 'retried')
  and used.event->>'grantId' = refused.event->>'grantId'
  and used.event->>'tenantId' = refused.event->>'tenantId'
  and used.at > again.at
where refused.event->>'type' = 'replayed' and refused.event->>'credential' = 'refresh_token'
  and not (refused.event->>'ended')::boolean
group by 1, 2, 3, 4, 5
order by used_until desc nulls last
