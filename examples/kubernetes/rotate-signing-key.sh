umask 077 # nobody else of this machine may read the files
kubectl get secret customer-sign-in -o jsonpath='{.data.signing-key\.pem}' | base64 -d > old.pem
kubectl get secret customer-sign-in -o jsonpath='{.data.credential-secret}' | base64 -d > credential-secret
npx customer-sign-in keys --folder new
replace_keys() {
  kubectl create secret generic customer-sign-in --from-file=signing-key.pem --from-file=credential-secret --dry-run=client -o yaml | kubectl apply -f -
}

# Step 1: every replica knows the new key. Then wait 10 minutes: a minute for the files, 5 for caches of I/jwks, and some more.
cat old.pem new/signing-key.pem > signing-key.pem && replace_keys

# Step 2: the new key signs. Then wait for lifetimes.accessToken, an hour.
cat new/signing-key.pem old.pem > signing-key.pem && replace_keys

# Step 3: the old key is gone. Delete the files.
cp new/signing-key.pem signing-key.pem && replace_keys
